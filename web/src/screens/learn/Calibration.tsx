import { useRef } from 'preact/hooks';
import type { CalibrationBin } from '../../bridge/contract';
import { whole } from '../../ui/numbers';
import { textSize, useWidth } from '../../ui/size';

/** Predicted against observed: on the diagonal, 30 % means 30 of 100. */
export function Calibration({ bins, outcome }: { bins: readonly CalibrationBin[]; outcome: string }) {
  const box = useRef<HTMLDivElement>(null);
  const width = Math.min(useWidth(box, 320), textSize() * 26);
  const unit = textSize();
  const [left, bottom, edge] = [unit * 3.8, unit * 2.6, unit * 0.6];
  const height = width;
  const x = (p: number) => left + p * (width - left - edge);
  const y = (p: number) => height - bottom - p * (height - bottom - edge);
  const largest = Math.max(1, ...bins.map((bin) => bin.count));
  return (
    <div class="plot" ref={box}>
      <svg viewBox={`0 0 ${width} ${height}`} style={{ maxWidth: `${width}px` }} role="img" aria-label={`Calibration, ${bins.length} groups of cases`}>
        {[0, 0.25, 0.5, 0.75, 1].map((p) => (
          <g key={p}>
            <line x1={x(p)} x2={x(p)} y1={y(0)} y2={y(1)} class="grid-line" />
            <line x1={x(0)} x2={x(1)} y1={y(p)} y2={y(p)} class="grid-line" />
            <text x={x(p)} y={y(0) + unit * 1.1} text-anchor="middle" font-size={unit * 0.76}>
              {p}
            </text>
            <text x={x(0) - unit * 0.4} y={y(p) + unit * 0.27} text-anchor="end" font-size={unit * 0.76}>
              {p}
            </text>
          </g>
        ))}
        <line x1={x(0)} y1={y(0)} x2={x(1)} y2={y(1)} class="axis" stroke-dasharray="4 4" />
        {bins.map((bin) => (
          <g key={bin.predicted} class="calibration__bin">
            <title>{`predicted ${bin.predicted.toFixed(3)}, observed ${bin.observed.toFixed(3)} (${bin.low.toFixed(3)} to ${bin.high.toFixed(3)}), ${whole(bin.count)} cases`}</title>
            <line x1={x(bin.predicted)} x2={x(bin.predicted)} y1={y(bin.low)} y2={y(bin.high)} />
            <circle cx={x(bin.predicted)} cy={y(bin.observed)} r={unit * (0.2 + 0.3 * Math.sqrt(bin.count / largest))} />
          </g>
        ))}
        <text x={unit * 0.9} y={(y(0) + y(1)) / 2} text-anchor="middle" font-size={unit * 0.76} transform={`rotate(-90 ${unit * 0.9} ${(y(0) + y(1)) / 2})`}>
          observed share of {outcome}
        </text>
        <text x={(x(0) + x(1)) / 2} y={height - unit * 0.3} text-anchor="middle" font-size={unit * 0.76}>
          predicted probability of {outcome}
        </text>
      </svg>
    </div>
  );
}
