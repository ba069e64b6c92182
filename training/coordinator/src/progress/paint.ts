/** Text styles: colored if the output supports it, otherwise plain. */
export interface Paint {
  good(text: string): string;
  bad(text: string): string;
  warn(text: string): string;
  dim(text: string): string;
}

const CODES = { good: 32, bad: 31, warn: 33, dim: 2 } as const;

/** Creates the styles for a stream, depending on its type and the environment. */
export function createPaint(isTerminal: boolean, env: NodeJS.ProcessEnv): Paint {
  const isOn = hasColor(isTerminal, env);
  const wrap = (code: number) => (text: string) => (isOn && text !== "" ? `\u001b[${code}m${text}\u001b[0m` : text);
  return { good: wrap(CODES.good), bad: wrap(CODES.bad), warn: wrap(CODES.warn), dim: wrap(CODES.dim) };
}

function hasColor(isTerminal: boolean, env: NodeJS.ProcessEnv): boolean {
  if (env.NO_COLOR || env.TOLLGATE_NO_COLOR) return false;
  if (env.FORCE_COLOR && env.FORCE_COLOR !== "0") return true;
  return isTerminal && env.TERM !== "dumb";
}
