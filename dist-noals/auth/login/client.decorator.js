import { createParamDecorator } from '@nestjs/common';
import { clientAddress } from '../../common/http/index.js';
import { userAgentOf } from '../../login-history/index.js';
export const CurrentClient = createParamDecorator((_data, context) => {
    const request = context.switchToHttp().getRequest();
    return { ip: clientAddress(request), userAgent: userAgentOf(request.headers['user-agent']) };
});
//# sourceMappingURL=client.decorator.js.map