import { effect, signal, type Signal } from '@preact/signals';

export const SCREENS = ['machine', 'step', 'cut', 'compare', 'learn', 'cases'] as const;
export type Screen = (typeof SCREENS)[number];

/** What the part of the address after `#` says: `#/step`, `#/cut?share=…`. */
export interface Address {
  readonly screen: Screen;
  readonly query: URLSearchParams;
}

export function address(hash: string): Address {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?', 2);
  const screen = SCREENS.find((name) => name === path) ?? 'machine';
  return { screen, query: new URLSearchParams(query) };
}

/** The screen in the address: each follows the other. */
export function screenSignal(window: Window): Signal<Screen> {
  const screen = signal(address(window.location.hash).screen);
  window.addEventListener('hashchange', () => {
    screen.value = address(window.location.hash).screen;
  });
  effect(() => {
    if (address(window.location.hash).screen !== screen.value) window.location.hash = `#/${screen.value}`;
  });
  return screen;
}
