import { randomBytes } from "node:crypto";

const mark = (bytes = 16) => randomBytes(bytes).toString("hex");

/** Secrets that must not leak. Each secret is unique to this run, so that any occurrence comes from this run. */
export const canaries = {
  "provider key with a known beginning": `sk-proj-${mark()}`,
  "provider key of Anthropic": `sk-ant-api03-${mark()}`,
  "provider key of Google": `AIza${mark()}`,
  "provider key of no known shape": `Kv${mark(9)}.${mark(3)}`,
  "provider key from the environment": `gsk_${mark()}`,
  "provider key that an administrator saved": `fw_${mark()}`,
  "provider key that a caller sent": `sk-own-${mark()}`,
  "master key": `sk-master-${mark(24)}`,
  password: `Pw ${mark()} !`,
  "new password": `New ${mark()} !`,
  "wrong password": `Wrong ${mark()} ?`,
  "secret of the installation": mark(32),
  "secret of the payment provider": `whsec_${mark(24)}`,
  prompt: `prompt-${mark()}`,
} as const;

/** A value that the product stores on purpose. If the search misses this value, it would also miss the secrets. */
export const LABEL = `label-${mark()}`;
