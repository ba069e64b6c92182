import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../..", import.meta.url)).replace(/\/$/, "");
export const chart = `${root}/deploy/helm/tollgate`;
export const manifests = `${root}/deploy/kubernetes`;
export const tools = `${root}/tools/deploy`;
