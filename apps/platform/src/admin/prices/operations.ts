import type { ManagementOperation } from "../../operation.ts";
import { confirmCatalogPrice } from "./confirm-catalog-price.ts";
import { getCatalogPrices } from "./get-catalog-prices.ts";

export const adminPriceOperations: readonly ManagementOperation[] = [getCatalogPrices, confirmCatalogPrice];
