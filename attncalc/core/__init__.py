"""The vocabulary everything else is written in: numbers, arrays with bounds, expressions, stages, scenarios."""
