"""The Chinese sentences of pictures."""

from __future__ import annotations

MESSAGES: dict[str, str] = {
    "picture-flow": "由 {count} 个带表格的方框组成的流程图，每个方框都在它所读取的方框下方：{titles}。",
    "picture-weights": "权重的热力图：每行是一个查询，每列是一个键；颜色越深，权重越大。",
    "picture-bars": "一个查询的权重条形图，每个键一条。",
    "picture-weight": "权重",
    "picture-without-step": "图 {picture} 只画权重，不画别的步骤，却写了 {found}；请去掉 --step，或改用 --picture flow",
    "picture-too-large": "{width} × {height} 像素的 PNG 太大；请少画一些，或改用 --format svg",
    "picture-no-curves": "没有可画的有限数。",
    "picture-curves": "折线图，横轴是 {path} 的取值，每条线是：{curves}。",
    "picture-own": "算例自己的值",
}
