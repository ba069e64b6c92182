import { bodyBehaviors } from "./body-behaviors.ts";
import type { HostileBehavior } from "./hostile-behavior.ts";
import { httpBehaviors } from "./http-behaviors.ts";
import { orderBehaviors } from "./order-behaviors.ts";
import { streamBehaviors } from "./stream-behaviors.ts";
import { usageBehaviors } from "./usage-behaviors.ts";

/** All known ways in which an upstream can misbehave. Names are unique. */
export const hostileUpstreams: readonly HostileBehavior[] = [
  ...httpBehaviors,
  ...bodyBehaviors,
  ...streamBehaviors,
  ...usageBehaviors,
  ...orderBehaviors,
];
