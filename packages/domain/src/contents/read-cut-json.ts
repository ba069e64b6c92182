const QUOTE = 34;
const COMMA = 44;
const COLON = 58;
const OPEN_BRACKET = 91;
const BACKSLASH = 92;
const CLOSE_BRACKET = 93;
const LOWER_U = 117;
const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;

/** Parses JSON text whose end may be missing: with the values up to there. Returns null if the text isn't JSON. */
export function readCutJson(text: string): unknown {
  return parse(text) ?? parse(completed(text));
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Closes the string and the containers that are open at the end. Drops a key without a value and a partial literal. */
function completed(text: string): string {
  const closers: string[] = [];
  let isKeyNext = false;
  // Closing the open containers here gives valid JSON, because no container opens or closes after this position.
  let end = 0;
  for (let index = 0; index < text.length; index += 1) {
    switch (text.charCodeAt(index)) {
      case QUOTE: {
        const { stop, isClosed } = endOfString(text, index + 1);
        if (!isClosed) return close(isKeyNext ? text.slice(0, end) : `${text.slice(0, stop)}"`, closers);
        index = stop;
        if (!isKeyNext) end = stop + 1;
        break;
      }
      case OPEN_BRACE:
      case OPEN_BRACKET:
        isKeyNext = text.charCodeAt(index) === OPEN_BRACE;
        closers.push(isKeyNext ? "}" : "]");
        end = index + 1;
        break;
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        closers.pop();
        end = index + 1;
        break;
      case COMMA:
        isKeyNext = closers.at(-1) === "}";
        end = index;
        break;
      case COLON:
        isKeyNext = false;
        break;
    }
  }
  return close(text.slice(0, end), closers);
}

const close = (text: string, closers: readonly string[]): string => text + closers.toReversed().join("");

/** Returns the position of the closing quote, or where the last complete character ends if there is no closing quote. */
function endOfString(text: string, start: number): { readonly stop: number; readonly isClosed: boolean } {
  let index = start;
  while (index < text.length) {
    const code = text.charCodeAt(index);
    if (code === QUOTE) return { stop: index, isClosed: true };
    const length = code !== BACKSLASH ? 1 : text.charCodeAt(index + 1) === LOWER_U ? 6 : 2;
    if (index + length > text.length) break;
    index += length;
  }
  return { stop: index, isClosed: false };
}
