import { Logger } from '@nestjs/common';

// Parts that are tested by themselves log through Nest's own logger; what they expect to go wrong looks like trouble.
Logger.overrideLogger(false);
