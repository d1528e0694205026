//! Zhipu's BigModel and Z.ai: the same numbers in Chinese and English, whatever the status.
//!
//! docs.bigmodel.cn/cn/api/api-code, docs.z.ai/api-reference/api-code. Near numbers mean far things (1301 is
//! about the content, 1302 about the rate), so no row is a range.

use super::*;

pub(super) const DIALECTS: &[Dialect] = &[Dialect {
    // Both sites write stamps of China without saying so.
    names: "zhipu|zai|z-ai|z.ai|bigmodel|zhipuai|glm",
    tables: &[ZHIPU],
    hours_east: 8,
}];

const ZHIPU: &[Row] = &[
    code("1000|1002|1004").is(DEAD),
    // No header arrived; a token that this side signed is too old: the key itself may be good.
    code("1001|1003").is(AUTH),
    code("1110|1111|1112|1121").is(DEAD_ACCOUNT),
    code("1113").is(BILLING),
    code("1100|1120|1230|1234|500").is(FAILED),
    code("1211|1220|1221|1222|1311").is(DENIED_MODEL),
    code("1214").saying("modelCode: does not exist").is(DENIED_MODEL),
    code("1200|1210|1212|1213|1214|1215|1231|1261|1300|1301").is(CLIENT),
    // Requests at once, requests per time.
    code("1302|1303").is(RATE_MODEL),
    code("1304").is(QUOTA_MODEL.until(Window::ShanghaiDay)),
    code("1305|1312").is(BUSY_MODEL),
    // The plan's windows state their end.
    code("1308|1310|1316|1317|1318|1319|1320|1321").is(PLAN),
    code("1309|1314").is(BILLING_KEY),
    // A key of another plan's endpoint.
    code("1315").is(DENIED_KEY),
    // Slowed down for unfair use, until a person asks for it to end.
    code("1313").is(BILLING_KEY),
    says("余额不足|Insufficient balance or no resource package|您的账户已欠费|Your account is in arrears")
        .is(BILLING),
    says("已达到|您已达到|Usage limit reached for|Weekly/Monthly Limit Exhausted").at(429).is(QUOTA_KEY),
    says("*当前访问量过大|The service may be temporarily overloaded|The model is currently experiencing high")
        .is(BUSY_MODEL),
    says("Rate limit reached for requests|*速率限制|*频率过高|*并发数过高").at(429).is(RATE_MODEL),
    status(401).is(DEAD),
    status(429).is(RATE_MODEL),
    status(434).is(DENIED_MODEL),
];
