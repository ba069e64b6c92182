import { cost } from "./dashboards/cost.ts";
import { overview } from "./dashboards/overview.ts";
import { platform } from "./dashboards/platform.ts";
import { providers } from "./dashboards/providers.ts";
import { runtime } from "./dashboards/runtime.ts";
import type { Dashboard } from "./panel.ts";

/** Every dashboard, in the order of the list that people see. */
export const dashboards: readonly Dashboard[] = [overview, cost, providers, platform, runtime];
