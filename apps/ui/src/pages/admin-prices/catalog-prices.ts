import type { Operations } from "@tollgate/sdk/platform";

/** The catalog edition in effect, with its history and disputed prices. */
export type Catalog = Operations["getCatalogPrices"]["answer"];
export type Dispute = Catalog["disputes"][number];
