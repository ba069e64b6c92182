import { share } from "./format-figure.ts";

/** Label of the requests that name no known model. */
const NO_MODEL = "Not recorded";

export const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
export const rateText = (rate: number | null): string => (rate === null ? "" : share(rate, 2));
export const modelLabel = (name: string): string => (name === "" ? NO_MODEL : name);
