import { UPSTREAM_KEY } from "./served-models.ts";

interface Surroundings {
  readonly baseUrl: string;
  readonly masterKey: string;
  readonly upstream: { readonly origin: string };
}

const A_DAY_S = 86_400;

/** Replaces everything that differs from run to run with placeholders. */
export function steady(value: unknown, around: Surroundings, name = ""): unknown {
  if (typeof value === "string") return steadyText(value, around);
  if (typeof value === "number") return isNow(name, value) ? "<now>" : value;
  if (Array.isArray(value)) return value.map((item) => steady(item, around));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, steady(item, around, key)]));
}

function steadyText(text: string, { baseUrl, masterKey, upstream }: Surroundings): string {
  return (
    text
      .replaceAll(upstream.origin, "<upstream>")
      .replaceAll(new URL(upstream.origin).host, "<upstream>")
      .replaceAll(baseUrl, "<gateway>")
      .replaceAll(masterKey, "<master key>")
      .replaceAll(UPSTREAM_KEY, "<upstream key>")
      // LiteLLM's health checks send one of two questions.
      .replace(/^(Hey how's it going\?|What's 1 \+ 1\?)$/, "<test prompt>")
      .replace(/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, "<uuid>")
      .replace(/\b[0-9a-f]{64}\b/g, "<hash>")
      .replace(/\b(chatcmpl|cmpl|modr|call|toolu|msg|resp|fc)([-_])(?!scripted)[A-Za-z0-9_<>-]{6,}=*/g, "$1$2<id>")
  );
}

function isNow(name: string, value: number): boolean {
  return /^(created|created_at)$/.test(name) && Math.abs(value - Date.now() / 1_000) < A_DAY_S;
}
