import type { RefObject } from 'preact';
import { useRef } from 'preact/hooks';
import type { Point } from './layout';

/** Dragging in the coordinates of a drawing: `move` gets the name of what is held and how far it went. */
export function useDragging(svg: RefObject<SVGSVGElement | null>, move: (name: string, by: Point) => void) {
  const held = useRef<{ name: string; at: Point } | null>(null);
  const here = (event: PointerEvent): Point => {
    const matrix = svg.current?.getScreenCTM();
    const { x, y } = matrix ? new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse()) : { x: 0, y: 0 };
    return { x, y };
  };
  const drop = () => {
    held.current = null;
  };
  return {
    start(event: PointerEvent, name: string) {
      held.current = { name, at: here(event) };
      svg.current?.setPointerCapture(event.pointerId);
    },
    surface: {
      onPointerMove(event: PointerEvent) {
        const from = held.current;
        if (!from) return;
        const at = here(event);
        move(from.name, { x: at.x - from.at.x, y: at.y - from.at.y });
        held.current = { name: from.name, at };
      },
      onPointerUp: drop,
      onPointerCancel: drop,
    },
  };
}
