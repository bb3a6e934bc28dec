import type { RefObject } from 'preact';
import { useEffect, useState } from 'preact/hooks';

/** The width of an element in pixels, followed as it changes. */
export function useWidth(element: RefObject<HTMLElement | null>, first = 600): number {
  const [width, setWidth] = useState(first);
  useEffect(() => {
    const shown = element.current;
    if (!shown) return;
    const observer = new ResizeObserver(() => setWidth(Math.max(240, Math.round(shown.clientWidth))));
    observer.observe(shown);
    return () => observer.disconnect();
  }, []);
  return width;
}

/** The size of the root's text in pixels: plots grow with it. */
export function textSize(): number {
  return parseFloat(getComputedStyle(document.documentElement).fontSize) || 16;
}
