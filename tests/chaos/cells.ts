import type { Cell } from "./cell.ts";
import { clientCells } from "./cells/client-cells.ts";
import { commitCells } from "./cells/commit-cells.ts";
import { contentionCells } from "./cells/contention-cells.ts";
import { damageCells } from "./cells/damage-cells.ts";
import { deliveryCells } from "./cells/delivery-cells.ts";
import { disconnectCells } from "./cells/disconnect-cells.ts";
import { diskCells } from "./cells/disk-cells.ts";
import { gatewayCells } from "./cells/gateway-cells.ts";
import { idempotencyCells } from "./cells/idempotency-cells.ts";
import { journalCells } from "./cells/journal-cells.ts";
import { logCells } from "./cells/log-cells.ts";
import { memoryCells } from "./cells/memory-cells.ts";
import { outageCells } from "./cells/outage-cells.ts";
import { paymentCells } from "./cells/payment-cells.ts";
import { postgresCells } from "./cells/postgres-cells.ts";
import { reclaimCells } from "./cells/reclaim-cells.ts";
import { redisCells } from "./cells/redis-cells.ts";
import { restoreCells } from "./cells/restore-cells.ts";
import { revocationCells } from "./cells/revocation-cells.ts";
import { trainingCells } from "./cells/training-cells.ts";
import { upstreamCells } from "./cells/upstream-cells.ts";
import { workerCells } from "./cells/worker-cells.ts";

/** All cells, in the order they run. */
export const cells: readonly Cell[] = [
  ...gatewayCells,
  ...memoryCells,
  ...workerCells,
  ...deliveryCells,
  ...logCells,
  ...redisCells,
  ...postgresCells,
  ...commitCells,
  ...restoreCells,
  ...upstreamCells,
  ...journalCells,
  ...diskCells,
  ...damageCells,
  ...disconnectCells,
  ...clientCells,
  ...contentionCells,
  ...paymentCells,
  ...revocationCells,
  ...outageCells,
  ...reclaimCells,
  ...idempotencyCells,
  ...trainingCells,
];
