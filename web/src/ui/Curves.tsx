import { useEffect, useRef } from 'preact/hooks';
import './language'; // before uPlot, which asks for it when it is loaded
import uPlot from 'uplot';
import { textSize } from './size';

export interface Series {
  readonly label: string;
  readonly x: readonly number[];
  readonly y: readonly number[];
  readonly color?: number;
  readonly dashed?: boolean;
  /** Another curve of the same kind: the legend has it already. */
  readonly again?: boolean;
}

const COLORS = 7;
/** What is counted along the axis (events, states, passes) comes in whole numbers. */
const WHOLE = [0, 1, 2, 3, 4, 5, 6].flatMap((power) => [1, 2, 5].map((k) => k * 10 ** power));

/** Curves over a common axis, each with its own points. */
export function Curves({ series, xLabel, yLabel, label, height = 16 }: { series: readonly Series[]; xLabel: string; yLabel: string; label: string; height?: number }) {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const names = series.map((one) => `${one.label} ${one.color ?? ''}`).join('\n');

  useEffect(() => {
    const root = box.current;
    if (!root) return;
    const unit = textSize();
    const color = (name: string) => getComputedStyle(root).getPropertyValue(name).trim();
    const font = `${Math.round(unit * 0.76)}px ${color('--font')}`;
    const axis = (text: string): uPlot.Axis => ({
      label: text,
      labelSize: unit * 1.4,
      labelFont: font,
      font,
      stroke: () => color('--muted'),
      values: (_, marks) => marks.map((mark) => mark.toLocaleString('en-US', { maximumSignificantDigits: 6 })),
      grid: { stroke: () => color('--line'), width: 1 },
      ticks: { stroke: () => color('--line'), width: 1 },
    });
    const size = () => ({ width: Math.max(240, root.clientWidth), height: unit * height });
    const made = new uPlot(
      {
        ...size(),
        cursor: { drag: { x: false, y: false } },
        legend: { show: series.filter((one) => !one.again).length > 1, live: false, markers: { width: 2, dash: (_, i) => (series[i - 1]?.dashed ? 'dotted' : 'solid') } },
        scales: { x: { time: false } },
        axes: [{ ...axis(xLabel), incrs: WHOLE }, { ...axis(yLabel), size: unit * 4 }],
        series: [
          { label: xLabel },
          ...series.map((one, i) => ({
            label: one.label,
            stroke: () => color(`--series-${((one.color ?? i) % COLORS) + 1}`),
            width: 2,
            ...(one.again ? { class: 'curves__again' } : {}),
            dash: one.dashed || (one.color ?? i) >= COLORS ? [6, 4] : [],
          })),
        ],
      },
      table(series),
      root,
    );
    plot.current = made;
    const resized = new ResizeObserver(() => made.setSize(size()));
    resized.observe(root);
    const themed = new MutationObserver(() => made.redraw());
    const themeRoot = root.closest('[data-theme]');
    if (themeRoot) themed.observe(themeRoot, { attributeFilter: ['data-theme'] });
    return () => {
      resized.disconnect();
      themed.disconnect();
      made.destroy();
      plot.current = null;
    };
  }, [names, xLabel, yLabel]);

  useEffect(() => plot.current?.setData(table(series)), [series]);

  return <div class="curves" ref={box} role="img" aria-label={label} />;
}

/** One column of x for all series; undefined where a series has no point, which does not break its curve. */
function table(series: readonly Series[]): uPlot.AlignedData {
  const xs = [...new Set(series.flatMap((one) => one.x))].sort((a, b) => a - b);
  const columns = series.map((one) => {
    const at = new Map(one.x.map((x, i) => [x, one.y[i]]));
    return xs.map((x) => at.get(x));
  });
  return [xs, ...columns];
}
