/** Some systems give a browser a language that its own formatters refuse, such as en-US@posix; a plot would then not load. */
try {
  new Intl.NumberFormat(navigator.language);
} catch {
  Object.defineProperty(navigator, 'language', { value: 'en-US' });
}
