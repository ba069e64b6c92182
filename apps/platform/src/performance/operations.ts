import type { ManagementOperation } from "../operation.ts";
import { getPerformance } from "./get-performance.ts";

export const performanceOperations: readonly ManagementOperation[] = [getPerformance];
