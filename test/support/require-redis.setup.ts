import { beforeEach } from 'vitest';
import { redisUrl, usesRedis } from './backends.js';

// Without Redis these suites would silently be those of the in-process store once more.
if (usesRedis && !redisUrl()) beforeEach((context) => context.skip());
