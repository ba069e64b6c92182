import type { RouteGroup } from "@tollgate/domain/routing/route-types.ts";
import type { Deployment } from "./deployment.ts";

/**
 * The model of a call: its public name and its targets. `name` is the group's name, or the requested model
 * name if it matched a wildcard pattern.
 */
export interface ChosenModel extends RouteGroup<Deployment> {
  /** The name that the client requested, used in responses. */
  readonly shownName: string;
  /** The name as JSON bytes, ready to insert into a response. */
  readonly shownJson: string;
  /** The name, encoded for headers. */
  readonly shownHeader: string;
}
