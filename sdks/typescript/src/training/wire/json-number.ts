const MINUS = 0x2d;
const PLUS = 0x2b;
const POINT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;

/** Where a JSON number stands. It may end in the states of `mayEnd` only. */
export type NumberState = "sign" | "zero" | "whole" | "point" | "fraction" | "exponent" | "exponentSign" | "power";

/** The state after a number's first byte; undefined when no number starts so. */
export function startNumber(byte: number): NumberState | undefined {
  if (byte === MINUS) return "sign";
  if (byte === ZERO) return "zero";
  return isDigit(byte) ? "whole" : undefined;
}

/** The state after one more byte; undefined when the byte is not part of the number. */
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

/** Whether the digits so far are a whole number in JSON's sense. */
export function mayEnd(state: NumberState): boolean {
  return state === "zero" || state === "whole" || state === "fraction" || state === "power";
}

function isDigit(byte: number): boolean {
  return byte >= ZERO && byte <= NINE;
}

function isExponentMark(byte: number): boolean {
  return (byte | 0x20) === 0x65;
}
