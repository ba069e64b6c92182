export const secondsSince = (startedAtMs: number): number => Math.round((performance.now() - startedAtMs) / 100) / 10;
