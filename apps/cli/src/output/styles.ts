import type { Stream } from "../io.ts";

type Paint = (text: string) => string;

export interface Styles {
  readonly isColoured: boolean;
  readonly dim: Paint;
  readonly bold: Paint;
  readonly red: Paint;
  readonly green: Paint;
  readonly yellow: Paint;
  readonly cyan: Paint;
}

/**
 * Returns the styles for one stream. Each stream is checked separately, because standard output may be a file while
 * standard error is a terminal.
 */
export function stylesFor(stream: Stream, env: NodeJS.ProcessEnv, isRefused: boolean): Styles {
  const isColoured = canColor(stream, env, isRefused);
  const paint = (on: number, off: number): Paint =>
    isColoured ? (text) => `\x1b[${on}m${text}\x1b[${off}m` : (text) => text;
  return {
    isColoured,
    dim: paint(2, 22),
    bold: paint(1, 22),
    red: paint(31, 39),
    green: paint(32, 39),
    yellow: paint(33, 39),
    cyan: paint(36, 39),
  };
}

function canColor(stream: Stream, env: NodeJS.ProcessEnv, isRefused: boolean): boolean {
  if (isRefused || env.NO_COLOR) return false;
  if (env.FORCE_COLOR !== undefined && env.FORCE_COLOR !== "" && env.FORCE_COLOR !== "0") return true;
  return stream.isTTY === true && env.TERM !== "dumb";
}
