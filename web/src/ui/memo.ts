import { Component, h, type FunctionComponent } from 'preact';

/** A component that is drawn anew only when one of its properties is another value. */
export function memo<P extends object>(Drawn: FunctionComponent<P>): FunctionComponent<P> {
  class Memo extends Component<P> {
    override shouldComponentUpdate(next: Readonly<P>): boolean {
      const now = this.props as Readonly<P>;
      return (Object.keys(next) as (keyof P)[]).some((key) => next[key] !== now[key]);
    }

    override render() {
      return h(Drawn, this.props as P);
    }
  }
  return Memo as unknown as FunctionComponent<P>;
}
