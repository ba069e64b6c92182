import type { ManagementOperation } from "../../operation.ts";
import { createModel } from "./create-model.ts";
import { disableModel } from "./disable-model.ts";
import { updateModel } from "./update-model.ts";

export const adminModelOperations: readonly ManagementOperation[] = [createModel, updateModel, disableModel];
