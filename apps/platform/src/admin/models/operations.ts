import type { ManagementOperation } from "../../operation.ts";
import { createModel } from "./create-model.ts";
import { deleteModel } from "./delete-model.ts";
import { updateModel } from "./update-model.ts";

export const adminModelOperations: readonly ManagementOperation[] = [createModel, updateModel, deleteModel];
