import type { Behavior } from "../upstream-behaviours.ts";
import type { Wire } from "./wires.ts";

/**
 * What becomes of a call to such an upstream. `sound`: the answer as it was meant. `refused`: a failure of ours, before a
 * byte of an answer. `broken`: a stream that ends with a failure of ours. `cut`: a stream that ends as too long.
 * `relayed`: 200 and what the upstream said, which may make no sense but is framed as it must be. `decent`: any of them.
 */
export type Outcome = "sound" | "refused" | "broken" | "cut" | "relayed" | "decent";

/** One way in which an upstream can behave badly. */
export interface HostileBehavior {
  readonly name: string;
  /** Which form of an answer the client asks for. */
  readonly isStream: boolean;
  /** Dialects it makes sense in; all when left out. */
  readonly wires?: readonly Wire["name"][];
  readonly outcome: Outcome | Readonly<Record<Wire["name"], Outcome>>;
  /** What the request says besides, such as how long it waits. */
  readonly request?: Readonly<Record<string, unknown>>;
  behave(wire: Wire): Behavior;
}
