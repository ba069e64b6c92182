export interface CallSize {
  readonly callsPerSecond: number;
  /** Size of the request beyond the first KiB. */
  readonly moreKiB: number;
}

/** The model is fitted to the first three load sizes and must predict the last two. */
const callSizes: readonly CallSize[] = [
  { callsPerSecond: 400, moreKiB: 0 },
  { callsPerSecond: 1600, moreKiB: 0 },
  { callsPerSecond: 800, moreKiB: 15 },
  { callsPerSecond: 800, moreKiB: 3 },
  { callsPerSecond: 1200, moreKiB: 7 },
];

/** For streams, the model is fitted to the first two load sizes and must predict the last two. */
const streamCounts = { quick: [400, 1600, 800, 1200], full: [500, 2500, 1000, 3000] };

export interface ModelPlan {
  readonly callSizes: readonly CallSize[];
  readonly streamCounts: readonly number[];
  readonly callMs: number;
  readonly streamMs: number;
}

export function plan(isQuick: boolean): ModelPlan {
  return isQuick
    ? { callSizes, streamCounts: streamCounts.quick, callMs: 2000, streamMs: 1500 }
    : { callSizes, streamCounts: streamCounts.full, callMs: 4000, streamMs: 4000 };
}
