import type { Point } from './layout';

/** Lines of text around a point. */
export function Lines({ lines, at, size, ...rest }: { lines: readonly string[]; at: Point; class: string; size: number }) {
  const height = size * 1.25;
  return (
    <text x={at.x} text-anchor="middle" font-size={size} {...rest}>
      {lines.map((line, i) => (
        <tspan key={i} x={at.x} y={at.y + (i - (lines.length - 1) / 2) * height + size * 0.35}>
          {line}
        </tspan>
      ))}
    </text>
  );
}
