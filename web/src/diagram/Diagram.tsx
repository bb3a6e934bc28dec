import { memo } from '../ui/memo';
import { useEffect, useId, useMemo, useRef, useState } from 'preact/hooks';
import { route, type Route } from './geometry';
import { layout, type Layout, type Point } from './layout';
import { Lines } from './Lines';
import { StateNode } from './StateNode';
import { useDragging } from './dragging';

export interface DiagramProps {
  /** The package's own DOT text: node names are the indices of states. */
  readonly dot: string;
  readonly label: string;
  /** How full each state is: its probability. */
  readonly levels?: readonly number[];
  /** The probability that flows through the arrow from one state to another. */
  readonly flow?: (from: number, to: number) => number;
  /** States to put a ring around. */
  readonly marked?: readonly number[];
}

const STILL: Point = { x: 0, y: 0 };
/** Less than this is not seen. */
const FAINT = 1e-3;

/**
 * A state diagram: laid out by Graphviz, drawn here, so that every name is text; its nodes can be dragged.
 *
 * It is two pictures, one over the other: what stays while a word is read, and what moves. So a step draws only the latter.
 */
export function Diagram({ dot, label, levels, flow, marked }: DiagramProps) {
  const { plan, failure } = useLayout(dot);
  const [moved, setMoved] = useState<Readonly<Record<string, Point>>>({});
  const top = useRef<SVGSVGElement>(null);
  const move = (name: string, by: Point) => setMoved((old) => ({ ...old, [name]: sum(old[name] ?? STILL, by) }));
  const drag = useDragging(top, move);
  const box = useMemo(() => plan && bounds(plan, moved), [plan, moved]);
  const ways = useMemo(() => plan && routes(plan, moved), [plan, moved]);

  if (failure !== null) return <p class="note">The diagram could not be laid out: {failure}</p>;
  if (!plan || !box || !ways) return <div class="diagram diagram--waiting" aria-hidden="true" />;
  const view = `${box.x} ${box.y} ${box.width} ${box.height}`;
  return (
    <figure class="diagram">
      <div class="diagram__stack" style={{ minWidth: `${Math.round(Math.min(box.width * 0.7, 900))}px`, maxWidth: `${Math.round(box.width * 1.5)}px`, aspectRatio: `${box.width} / ${box.height}` }}>
        <Still plan={plan} ways={ways} view={view} />
        <svg ref={top} class="diagram__top" role="group" aria-label={label} viewBox={view} {...drag.surface}>
          {flow &&
            plan.arrows.map((arrow, i) => {
              const [from, to] = [Number(plan.nodes[arrow.from]?.name), Number(plan.nodes[arrow.to]?.name)];
              const through = flow(from, to);
              if (!(through > FAINT)) return null;
              return <path key={i} d={ways[i]?.path} class="diagram__flow" data-flow={through} style={{ strokeWidth: `${1 + 8 * through}px`, opacity: 0.35 + 0.6 * through }} />;
            })}
          {plan.nodes.map((node) => {
            const by = moved[node.name] ?? STILL;
            return (
              <StateNode
                key={node.name}
                node={{ ...node, x: node.x + by.x, y: node.y + by.y }}
                level={levels?.[Number(node.name)]}
                marked={marked?.includes(Number(node.name)) ?? false}
                onPointerDown={(event) => drag.start(event, node.name)}
                onNudge={(step) => move(node.name, step)}
              />
            );
          })}
        </svg>
      </div>
      {Object.keys(moved).length > 0 && (
        <button type="button" class="button button--quiet diagram__reset" onClick={() => setMoved({})}>
          Reset layout
        </button>
      )}
    </figure>
  );
}

/** What stays while a word is read: the arrows and their labels. */
const Still = memo(function Still({ plan, ways, view }: { plan: Layout; ways: readonly Route[]; view: string }) {
  const id = useId();
  return (
    <svg class="diagram__still" viewBox={view} aria-hidden="true">
      <defs>
        <marker id={`${id}tip`} viewBox="0 0 10 10" refX="9" refY="5" markerWidth="8" markerHeight="8" markerUnits="userSpaceOnUse" orient="auto-start-reverse">
          <path d="M0,1 L9,5 L0,9 z" class="diagram__tip" />
        </marker>
      </defs>
      {plan.arrows.map((arrow, i) => (
        <path key={i} d={ways[i]?.path} class={arrow.dashed ? 'diagram__line diagram__line--start' : 'diagram__line'} marker-end={`url(#${id}tip)`} />
      ))}
      {plan.arrows.map((arrow, i) => {
        const at = ways[i]?.label;
        return at && <Lines key={i} lines={arrow.lines} at={at} class="diagram__label" size={11} />;
      })}
    </svg>
  );
});

function useLayout(dot: string): { plan: Layout | null; failure: string | null } {
  const [state, setState] = useState<{ plan: Layout | null; failure: string | null }>({ plan: null, failure: null });
  useEffect(() => {
    let current = true;
    layout(dot).then(
      (plan) => current && setState({ plan, failure: null }),
      (error: unknown) => current && setState({ plan: null, failure: String(error) }),
    );
    return () => {
      current = false;
    };
  }, [dot]);
  return state;
}

function routes(plan: Layout, moved: Readonly<Record<string, Point>>): Route[] {
  return plan.arrows.map((arrow) => {
    const [from, to] = [plan.nodes[arrow.from], plan.nodes[arrow.to]];
    return from && to ? route(arrow, from, to, moved[from.name] ?? STILL, moved[to.name] ?? STILL) : { path: '', label: null };
  });
}

const sum = (a: Point, b: Point): Point => ({ x: a.x + b.x, y: a.y + b.y });

function bounds(plan: Layout, moved: Readonly<Record<string, Point>>) {
  let [left, top, right, bottom] = [0, 0, plan.width, plan.height];
  for (const node of plan.nodes) {
    const by = moved[node.name];
    if (!by) continue;
    left = Math.min(left, node.x + by.x - node.width);
    right = Math.max(right, node.x + by.x + node.width);
    top = Math.min(top, node.y + by.y - node.height * 1.6);
    bottom = Math.max(bottom, node.y + by.y + node.height * 1.6);
  }
  const margin = 8;
  return { x: left - margin, y: top - margin, width: right - left + 2 * margin, height: bottom - top + 2 * margin };
}
