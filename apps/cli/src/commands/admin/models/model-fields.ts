import { publicModelFields } from "../../manage/models/model-facts.ts";

export const adminModelFields = [...publicModelFields, "inferenceModelId", "params", "updatedAt"] as const;
