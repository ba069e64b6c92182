import type { ManagementOperation } from "../operation.ts";
import { createWebhook } from "./create-webhook.ts";
import { deleteWebhook } from "./delete-webhook.ts";
import { listWebhooks } from "./list-webhooks.ts";

export const webhookOperations: readonly ManagementOperation[] = [listWebhooks, createWebhook, deleteWebhook];
