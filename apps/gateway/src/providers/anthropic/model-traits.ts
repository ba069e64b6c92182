/** What tells one model of this provider from another in how it must be asked. */
export interface ModelTraits {
  /** Whether it can think before it answers: with a budget, as much as it finds fit, or not at all. */
  readonly thinking: "none" | "budget" | "adaptive";
  /** Cannot be told to answer without thinking, or to use a tool whatever it thinks. */
  readonly alwaysThinks: boolean;
  /** Takes `temperature` and `top_p`. */
  readonly takesSampling: boolean;
  /** Knows the effort between high and the utmost. */
  readonly knowsHighestEffort: boolean;
  /** Can be held to a schema while it writes. */
  readonly writesBySchema: boolean;
}

/** `claude-opus-4-6-20260205` and `claude-3-7-sonnet-latest`: the family before or after the version. */
const NAME = /claude-(?:([a-z]+)-(\d)(?:[-.](\d{1,2})(?!\d))?|(\d)(?:[-.](\d{1,2})(?!\d))?-([a-z]+))/;

/** A model of another maker behind the same dialect is asked in the oldest way that works everywhere. */
const plain: ModelTraits = {
  thinking: "budget",
  alwaysThinks: false,
  takesSampling: true,
  knowsHighestEffort: false,
  writesBySchema: false,
};

/** The traits of a model by its name, so that a new version of a known family needs no new row. */
export function traitsOf(model: string): ModelTraits {
  const match = NAME.exec(model);
  if (match === null) return plain;
  const family = match[1] ?? match[6] ?? "";
  const version = Number(match[2] ?? match[4]) * 100 + Number(match[3] ?? match[5] ?? 0);
  const takesSampling = version < 407;
  return {
    thinking: version >= 406 ? "adaptive" : version >= 307 ? "budget" : "none",
    alwaysThinks: family === "fable" || (version >= 505 && family !== "haiku"),
    takesSampling,
    knowsHighestEffort: !takesSampling,
    writesBySchema: version >= 405,
  };
}
