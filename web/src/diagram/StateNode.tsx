import { useId } from 'preact/hooks';
import type { PlacedNode, Point } from './layout';
import { Lines } from './Lines';

const NUDGE: Readonly<Record<string, Point>> = {
  ArrowLeft: { x: -12, y: 0 },
  ArrowRight: { x: 12, y: 0 },
  ArrowUp: { x: 0, y: -12 },
  ArrowDown: { x: 0, y: 12 },
};

export interface StateNodeProps {
  readonly node: PlacedNode;
  readonly level: number | undefined;
  readonly marked: boolean;
  readonly onPointerDown: (event: PointerEvent) => void;
  readonly onNudge: (by: Point) => void;
}

/** A state as a vessel that is filled up to its probability. */
export function StateNode({ node, level, marked, onPointerDown, onNudge }: StateNodeProps) {
  const id = useId();
  if (node.shape === 'none') return <Lines lines={node.lines} at={node} class="diagram__start" size={12} />;
  const [rx, ry] = [node.width / 2, node.height / 2];
  const outline = (inset: number, name: string) =>
    node.shape === 'box' ? (
      <rect x={node.x - rx + inset} y={node.y - ry + inset} width={2 * (rx - inset)} height={2 * (ry - inset)} rx="6" class={name} />
    ) : (
      <ellipse cx={node.x} cy={node.y} rx={rx - inset} ry={ry - inset} class={name} />
    );
  const name = node.lines.join(' ');
  const spoken = `State ${name}${node.double ? ', final' : ''}${level === undefined ? '' : `, probability ${level.toPrecision(4)}`}. Arrow keys move it.`;
  return (
    <g
      class={marked ? 'diagram__node diagram__node--marked' : 'diagram__node'}
      role="img"
      tabindex={0}
      aria-label={spoken}
      onPointerDown={onPointerDown}
      onKeyDown={(event) => {
        const step = NUDGE[event.key];
        if (!step) return;
        event.preventDefault();
        event.stopPropagation();
        onNudge(step);
      }}
    >
      {outline(0, 'diagram__body')}
      {level !== undefined && (
        <>
          <clipPath id={id}>{outline(0, '')}</clipPath>
          <g clip-path={`url(#${id})`}>
            <rect x={node.x - rx} y={node.y - ry} width={2 * rx} height={2 * ry} class="diagram__level" style={{ transformOrigin: `0 ${node.y + ry}px`, transform: `scaleY(${level})` }} />
          </g>
        </>
      )}
      {outline(0, 'diagram__border')}
      {node.double && outline(4, 'diagram__border')}
      <Lines lines={node.lines} at={node} class="diagram__name" size={13} />
    </g>
  );
}
