import { bodyBehaviours } from "./body-behaviours.ts";
import type { HostileBehaviour } from "./hostile-behaviour.ts";
import { httpBehaviours } from "./http-behaviours.ts";
import { orderBehaviours } from "./order-behaviours.ts";
import { streamBehaviours } from "./stream-behaviours.ts";
import { usageBehaviours } from "./usage-behaviours.ts";

/** Every way we know in which an upstream can behave badly. Each has a name of its own. */
export const hostileUpstreams: readonly HostileBehaviour[] = [
  ...httpBehaviours,
  ...bodyBehaviours,
  ...streamBehaviours,
  ...usageBehaviours,
  ...orderBehaviours,
];
