import type { Bridge } from './bridge';
import { httpBridge } from './http';
import { pyodideBridge } from './pyodide';

const KEY = 'cutpoint.base';

/** The folder that the page was loaded from; it has the token in it. */
function folder(): string {
  return location.pathname.replace(/[^/]*$/, '');
}

/**
 * The bridge of a page: its server, or in a static folder (`<meta name="cutpoint" content="static">`) Python in a worker.
 *
 * A server that was started again on the same port has another token. The tab that it opened notes its address where
 * the older tabs see it, and they go on with that.
 */
export function pageBridge(): { bridge: Bridge; base: () => string } {
  if (document.querySelector('meta[name=cutpoint][content=static]')) {
    return { bridge: pyodideBridge(), base: folder };
  }
  let base = folder();
  try {
    localStorage.setItem(KEY, base);
  } catch {
    // Without storage, the banner asks for the address.
  }
  window.addEventListener('storage', (event) => {
    if (event.key === KEY && event.newValue !== null && /^\/[\w-]*\/?$/.test(event.newValue)) base = event.newValue;
  });
  return { bridge: httpBridge(() => base), base: () => base };
}
