import { Controller, Delete } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { DevRoute } from '../dev-route.decorator.js';
import { CleanSlate } from './clean-slate.js';

/** Not a POST: without a body it would need no preflight, and any page that a developer visits could send it. */
@ApiExcludeController()
@Controller('dev/state')
export class CleanSlateController {
  constructor(private readonly slate: CleanSlate) {}

  @Delete()
  @DevRoute({
    summary: 'A clean slate: all accounts, sessions, mails, limits, caches and faults are gone, the clock is reset',
    message: 'Clean slate',
  })
  async deleteState(): Promise<void> {
    await this.slate.make();
  }
}
