"""The Chinese sentences of pages of HTML."""

from __future__ import annotations

MESSAGES: dict[str, str] = {
    "given-others": "给定的数",
    "page-language": "语言",
    "page-theme": "颜色",
    "page-system": "跟随系统",
    "page-light": "浅色",
    "page-dark": "深色",
    "page-batch": "批次",
    "page-head": "头",
    "page-query": "查询",
    "page-before": "上一步",
    "page-after": "下一步",
    "page-single": "一次只看一步",
    "page-steps": "步骤",
    "page-ending": "解读与说明",
    "page-others": "其他查询和头",
    "page-cell": "这个数的来历",
    "page-keys": "按键：← → 或 j k 换步骤；在表格里，方向键在数之间移动，Home 和 End 到一行的两端，Esc 回到步骤标题。焦点所在的数，下方会说明它怎么算出来，用到的数会亮起。",
    "page-hint": "指向一个数，或用 Tab 和方向键移到它上面，就能看到它怎么算出来。",
    "page-given": "给定",
    "page-not-told": "本页没有收录这个数的来历。",
    "page-no-story": "本页没有讲解这个查询；它的数都在表格里。",
    "given-shape": "{shape} 中的第一个",
    "page-from": "用到：",
    "note.cropped-sides": "表格最多显示 {most} 行、{most} 列。",
    "note.cropped-heads": "本页只有 {all} 个头（含各批次）中前 {count} 个的表格。",
    "note.cropped-heads-one": "本页只有 {all} 个头（含各批次）中第 {count} 个的表格。",
    "note.cropped-stories": "每个数的来历只收录了前 {count} 个头，{all} 行中的 {rows} 行。",
    "note.cropped-stories-one": "每个数的来历只收录了第 {count} 个头，{all} 行中的 {rows} 行。",
}
