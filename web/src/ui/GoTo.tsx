import type { ComponentChildren } from 'preact';
import type { Screen } from '../router';
import { useWorkspace } from '../state/workspace';

/** A link to another screen. In a notebook the address is not ours, so the screen is set and the page's address follows. */
export function GoTo({ screen, primary = false, children }: { screen: Screen; primary?: boolean; children: ComponentChildren }) {
  const space = useWorkspace();
  const go = (event: Event) => {
    event.preventDefault();
    space.screen.value = screen;
  };
  return (
    <a class={primary ? 'button button--primary' : 'button'} href={`#/${screen}`} onClick={go}>
      {children}
    </a>
  );
}
