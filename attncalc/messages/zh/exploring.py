"""The Chinese sentences of asking where a number comes from, and of moving through a calculation."""

from __future__ import annotations

MESSAGES: dict[str, str] = {
    # Cells
    "no-cell": "没有指明单元格；请写出步骤和位置，例如 weights 0 0；步骤有 {known}",
    "cell-places": "每个轴上都要给出位置，例如 {example}（{axes}）",
    "axes.query": "查询：{query}",
    "axes.query-key": "查询：{query}；键：{key}",
    "axes.query-feature": "查询：{query}；特征：0 到 {last}",
    "axes.key-feature": "键：{key}；特征：0 到 {last}",
    "axes.query-key-feature": "查询：{query}；键：{key}；特征：0 到 {last}",
    "no-such-place": "{found} 不是{axis}轴上的标签或位置；可用的有 {known}",
    "no-such-feature": "{found} 不是{axis}轴上的位置；位置从 0 到 {last}",
}
