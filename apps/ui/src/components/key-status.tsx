import type { KeyState } from "@tollgate/domain/figures/key-state.ts";
import { type DotShape, StatusDot } from "./status-dot.tsx";

/** Whether requests with a key are accepted, or what stops them. The same words are on every page. */
export function KeyStatus({ state }: { readonly state: KeyState }) {
  const { shape, word } = readings[state];
  return <StatusDot shape={shape}>{word}</StatusDot>;
}

const readings: Readonly<Record<KeyState, { readonly shape: DotShape; readonly word: string }>> = {
  revoked: { shape: "off", word: "Deleted" },
  expired: { shape: "off", word: "Expired" },
  disabled: { shape: "bad", word: "Blocked" },
  team_blocked: { shape: "bad", word: "Team blocked" },
  cap_reached: { shape: "bad", word: "Cap reached" },
  no_models: { shape: "warning", word: "No models" },
  active: { shape: "ok", word: "Active" },
};
