import { bodyBehaviors } from "./body-behaviours.ts";
import type { HostileBehavior } from "./hostile-behaviour.ts";
import { httpBehaviors } from "./http-behaviours.ts";
import { orderBehaviors } from "./order-behaviours.ts";
import { streamBehaviors } from "./stream-behaviours.ts";
import { usageBehaviors } from "./usage-behaviours.ts";

/** All known ways in which an upstream can misbehave. Names are unique. */
export const hostileUpstreams: readonly HostileBehavior[] = [
  ...httpBehaviors,
  ...bodyBehaviors,
  ...streamBehaviors,
  ...usageBehaviors,
  ...orderBehaviors,
];
