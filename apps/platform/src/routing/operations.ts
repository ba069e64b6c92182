import type { ManagementOperation } from "../operation.ts";
import { getRouting } from "./get-routing.ts";
import { simulateRoute } from "./simulate-route.ts";

export const routingOperations: readonly ManagementOperation[] = [getRouting, simulateRoute];
