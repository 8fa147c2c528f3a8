"""The Chinese sentences of what else explains a number: slips, rounding on the way, other conventions."""

from __future__ import annotations

MESSAGES: dict[str, str] = {
    # One number
    "slip.sign": "{cell} 的正负号反了：写的是 {given}，应为 {right}。",
    "slip.swapped-digits": "{cell} 有两个数字写颠倒了：写的是 {given}，应为 {right}。",
    "slip.decimal-point": "{cell} 的小数点错位了：写的是 {given}，应为 {right}。",
    "slip.one-digit": "{cell} 有一个数字不对：写的是 {given}，应为 {right}。",
    "slip.missed-term": "{cell} 求和时漏了 {term} 这一项：写的是 {given}，应为 {right}。",
    "slip.extra-term": "{cell} 求和时把 {term} 这一项算了两次：写的是 {given}，应为 {right}。",
    "slip.term-sign": "{cell} 求和时 {term} 这一项的正负号错了：写的是 {given}，应为 {right}。",
    "slip.another-cell": "{cell} 写成了 {other} 的数：写的是 {given}，应为 {right}。",
    "slip.plain": "{cell} 写的是 {given}，应为 {right}；其余各处方法都正确。",
    # One number further back
    "slip-inside.step": "如果 {cell} 用的是 {given} 而不是 {right}，所有的数就都对得上。",
    "slip-inside.input": "如果把给定的 {cell}（{right}）看成了 {given}，所有的数就都对得上。",
    # The right method, rounded
    "rounded.on-the-way": "方法正确；每一步都四舍五入到了 {places} 位小数。",
    "rounded.half-even": "方法正确；每一步都按“四舍六入五成双”保留 {places} 位小数。",
    "rounded.cut": "方法正确；每一步都直接截断到 {places} 位小数，没有四舍五入。",
    "rounded.cut-at-end": "方法正确；只是最后的结果截断了，没有四舍五入。",
    "rounded.coarse-root": "方法正确；{root} 取了近似值 {value}。",
    "rounded.last-weight": "方法正确；{cell} 调整过，使这一行的和为 1。",
    "rounded.float32": "没有发现错误；误差与 float32 的精度相当。",
    "rounded.float16": "没有发现错误；误差与 float16 的精度相当。",
    "rounded.bfloat16": "没有发现错误；误差与 bfloat16 的精度相当。",
    "rounded.few-units": "方法正确；各数的末位最多差 {units}，这是中途舍入造成的。",
    "rounded.own-numbers": "方法正确；这些数是用前面各步舍入后的数算出来的。",
    "rounded.inputs": "方法正确；计算时输入的位数很可能比这里显示的多。",
    # A right answer, written otherwise
    "convention.columns": "这些表用的是列向量写法，转置以后就是正确的。",
    "convention.percent": "权重写成了百分数。",
    "convention.counted-from-1": "token 从 1 数起；这里是从 0 数起的。",
    "convention.heads-averaged": "权重是各个头的平均；这里每个头有自己的权重。nn.MultiheadAttention 默认会取平均，用 average_attn_weights=False 可以得到各个头的权重。",
}
