pub fn init(){}
