import { computed, effect, signal, type ReadonlySignal } from '@preact/signals';

export type Theme = 'system' | 'light' | 'dark';

const KEY = 'cutpoint.theme';

function stored(): Theme {
  try {
    const value = localStorage.getItem(KEY);
    return value === 'light' || value === 'dark' ? value : 'system';
  } catch {
    return 'system';
  }
}

/** Light or dark on the root element, as chosen, else as the system has it: whether it is dark, and a function that chooses. */
export function themed(root: HTMLElement): { dark: ReadonlySignal<boolean>; choose: (theme: Theme) => void } {
  const theme = signal(stored());
  const system = matchMedia('(prefers-color-scheme: dark)');
  const dim = signal(system.matches);
  const dark = computed(() => (theme.value === 'system' ? dim.value : theme.value === 'dark'));
  root.classList.add('cutpoint');
  system.addEventListener('change', () => (dim.value = system.matches));
  effect(() => {
    root.dataset['theme'] = dark.value ? 'dark' : 'light';
  });
  const choose = (chosen: Theme) => {
    theme.value = chosen;
    try {
      localStorage.setItem(KEY, chosen);
    } catch {
      // The choice then holds for this page only.
    }
  };
  return { dark, choose };
}
