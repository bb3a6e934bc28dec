import { useId, useRef } from 'preact/hooks';
import type { Level } from '../../bridge/contract';
import { whole } from '../../ui/numbers';
import { textSize, useWidth } from '../../ui/size';

export interface StaircaseProps {
  readonly levels: readonly Level[];
  readonly total: number;
  readonly cutPoint: number;
  readonly onChoose: (cutPoint: number) => void;
}

/** How many words are accepted with more than each probability: a staircase that goes down from left to right. */
export function Staircase({ levels, total, cutPoint, onChoose }: StaircaseProps) {
  const box = useRef<HTMLDivElement>(null);
  const held = useRef(false);
  const id = useId();
  const width = useWidth(box);
  const unit = textSize();
  const [left, right, top, bottom] = [unit * 4.2, unit * 0.8, unit * 1.2, unit * 2.4];
  const height = Math.max(unit * 13, Math.min(unit * 20, width * 0.5));
  const x = (p: number) => left + p * (width - left - right);
  const y = (count: number) => height - bottom - (total ? count / total : 0) * (height - top - bottom);

  const rising = [...levels].sort((a, b) => a.acceptance - b.acceptance);
  let path = `M${x(0)},${y(total)}`;
  for (const level of rising) path += `H${x(level.acceptance).toFixed(1)}V${y(level.above).toFixed(1)}`;
  path += `H${x(1)}`;
  const area = `${path}V${y(0)}H${x(0)}Z`;
  const above = rising.filter((level) => level.acceptance > cutPoint).reduce((sum, level) => sum + level.count, 0);

  const choose = (event: PointerEvent) => {
    const rect = box.current?.getBoundingClientRect();
    if (!rect) return;
    const p = (event.clientX - rect.left - left) / (width - left - right);
    onChoose(Math.min(1, Math.max(0, Math.round(p * 1000) / 1000)));
  };

  return (
    <div class="plot" ref={box}>
      <svg
        viewBox={`0 0 ${width} ${height}`}
        height={height}
        role="img"
        aria-label={`Staircase of acceptances: ${whole(above)} of ${whole(total)} words above the cut point`}
        class="staircase"
        onPointerDown={(event) => {
          held.current = true;
          event.currentTarget.setPointerCapture(event.pointerId);
          choose(event);
        }}
        onPointerMove={(event) => held.current && choose(event)}
        onPointerUp={() => (held.current = false)}
      >
        {[0, 0.25, 0.5, 0.75, 1].map((p) => (
          <g key={p}>
            <line x1={x(p)} x2={x(p)} y1={top} y2={height - bottom} class="grid-line" />
            <text x={x(p)} y={height - bottom + unit * 1.15} text-anchor="middle" font-size={unit * 0.78}>
              {p}
            </text>
          </g>
        ))}
        {ticks(total).map((count) => (
          <g key={count}>
            <line x1={left} x2={width - right} y1={y(count)} y2={y(count)} class="grid-line" />
            <text x={left - unit * 0.5} y={y(count) + unit * 0.28} text-anchor="end" font-size={unit * 0.78}>
              {whole(count)}
            </text>
          </g>
        ))}
        <text x={(x(0) + x(1)) / 2} y={height - unit * 0.2} text-anchor="middle" font-size={unit * 0.78}>
          acceptance
        </text>
        <text x={unit * 0.9} y={(y(0) + y(total)) / 2} text-anchor="middle" font-size={unit * 0.78} transform={`rotate(-90 ${unit * 0.9} ${(y(0) + y(total)) / 2})`}>
          words with more
        </text>
        <clipPath id={id}>
          <rect x={x(cutPoint)} y={0} width={Math.max(0, x(1) - x(cutPoint))} height={height} />
        </clipPath>
        <path d={area} class="staircase__area" clip-path={`url(#${id})`} />
        <path d={path} class="staircase__line" />
        {rising
          .filter((level) => level.acceptance === cutPoint)
          .map((level) => (
            <circle key={level.acceptance} cx={x(level.acceptance)} cy={y(level.above)} r={unit * 0.32} class="staircase__tie" />
          ))}
        <line x1={x(cutPoint)} x2={x(cutPoint)} y1={unit * 0.95} y2={height - bottom} class="staircase__cut" />
        <text x={x(cutPoint)} y={unit * 0.7} text-anchor={cutPoint > 0.85 ? 'end' : cutPoint < 0.15 ? 'start' : 'middle'} class="staircase__name" font-size={unit * 0.82}>
          λ
        </text>
      </svg>
    </div>
  );
}

function ticks(total: number): number[] {
  const step = 10 ** Math.floor(Math.log10(Math.max(1, total / 2)));
  const wide = [1, 2, 5, 10].map((k) => k * step).find((s) => total / s <= 5) ?? total;
  return Array.from({ length: Math.floor(total / wide) + 1 }, (_, i) => i * wide);
}
