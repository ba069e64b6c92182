import { cost } from "./dashboards/cost.ts";
import { overview } from "./dashboards/overview.ts";
import { platform } from "./dashboards/platform.ts";
import { providers } from "./dashboards/providers.ts";
import { runtime } from "./dashboards/runtime.ts";
import type { Dashboard } from "./panel.ts";

/** All dashboards, in display order. */
export const dashboards: readonly Dashboard[] = [overview, cost, providers, platform, runtime];
