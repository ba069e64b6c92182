/** Properties of a model that affect how its requests are built. */
export interface ModelTraits {
  /** How the model thinks: with a token budget, adaptively, or not at all. */
  readonly thinking: "none" | "budget" | "adaptive";
  /** True if thinking can't be disabled and tool use can't be forced. */
  readonly alwaysThinks: boolean;
  /** True if the model accepts `temperature` and `top_p`. */
  readonly takesSampling: boolean;
  /** True if the model supports the effort level `xhigh`. */
  readonly knowsHighestEffort: boolean;
  /** True if the model's output can be constrained to a schema. */
  readonly writesBySchema: boolean;
}

/** Matches `claude-opus-4-6-20260205` and `claude-3-7-sonnet-latest`. The family comes before or after the version. */
const NAME = /claude-(?:([a-z]+)-(\d)(?:[-.](\d{1,2})(?!\d))?|(\d)(?:[-.](\d{1,2})(?!\d))?-([a-z]+))/;

/**
 * Traits for other vendors' models that use the same API. They select the oldest options, which every model supports.
 */
const plain: ModelTraits = {
  thinking: "budget",
  alwaysThinks: false,
  takesSampling: true,
  knowsHighestEffort: false,
  writesBySchema: false,
};

/** Derives a model's traits from its name, so that a new version of a known family needs no new entry. */
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
