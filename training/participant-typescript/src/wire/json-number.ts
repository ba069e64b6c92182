const MINUS = 0x2d;
const PLUS = 0x2b;
const POINT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;

/** Parser state of a JSON number. See `mayEnd` for the final states. */
export type NumberState = "sign" | "zero" | "whole" | "point" | "fraction" | "exponent" | "exponentSign" | "power";

/** Returns the state after a number's first byte, or undefined if no number starts with that byte. */
export function startNumber(byte: number): NumberState | undefined {
  if (byte === MINUS) return "sign";
  if (byte === ZERO) return "zero";
  return isDigit(byte) ? "whole" : undefined;
}

/** Returns the state after one more byte, or undefined if the byte is not part of the number. */
export function continueNumber(state: NumberState, byte: number): NumberState | undefined {
  switch (state) {
    case "sign":
      return startNumber(byte === MINUS ? 0 : byte);
    case "zero":
    case "whole":
      if (byte === POINT) return "point";
      if (isExponentMark(byte)) return "exponent";
      return state === "whole" && isDigit(byte) ? "whole" : undefined;
    case "point":
      return isDigit(byte) ? "fraction" : undefined;
    case "fraction":
      if (isExponentMark(byte)) return "exponent";
      return isDigit(byte) ? "fraction" : undefined;
    case "exponent":
      if (byte === PLUS || byte === MINUS) return "exponentSign";
      return isDigit(byte) ? "power" : undefined;
    case "exponentSign":
    case "power":
      return isDigit(byte) ? "power" : undefined;
  }
}

/** Reports whether the digits so far form a complete JSON number. */
export function mayEnd(state: NumberState): boolean {
  return state === "zero" || state === "whole" || state === "fraction" || state === "power";
}

function isDigit(byte: number): boolean {
  return byte >= ZERO && byte <= NINE;
}

function isExponentMark(byte: number): boolean {
  return (byte | 0x20) === 0x65;
}
