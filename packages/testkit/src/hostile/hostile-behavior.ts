import type { Behavior } from "../upstream-behaviors.ts";
import type { Wire } from "./wires.ts";

/**
 * Result of a call to a misbehaving upstream. `sound`: the intended response. `refused`: a gateway error before any
 * response bytes. `broken`: a stream that ends with a gateway error. `cut`: a stream that ends with `finish_reason`
 * `length`. `relayed`: status 200 and the upstream's content, which may be meaningless but is framed correctly.
 * `decent`: any of these.
 */
export type Outcome = "sound" | "refused" | "broken" | "cut" | "relayed" | "decent";

/** One way in which an upstream can misbehave. */
export interface HostileBehavior {
  readonly name: string;
  /** True if the client requests a stream. */
  readonly isStream: boolean;
  /** API formats that the behavior applies to; all formats if absent. */
  readonly wires?: readonly Wire["name"][];
  readonly outcome: Outcome | Readonly<Record<Wire["name"], Outcome>>;
  /** Additional request fields, such as a timeout. */
  readonly request?: Readonly<Record<string, unknown>>;
  behave(wire: Wire): Behavior;
}
