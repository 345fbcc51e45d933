package expr_test

import (
	"fmt"

	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/expr"
)

func Example() {
	envelope, err := canon.Parse(
		`{"contract":"algal.expr.v1","program":["div",["get","sum"],["len",["get","items"]]]}`, canon.Limits{})
	if err != nil {
		fmt.Println(err)
		return
	}
	mean, err := expr.ParseEnvelope(envelope, "cell.expr")
	if err == nil {
		err = mean.Admit([]string{"sum", "items"}, "cell.expr")
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, items := range []canon.Value{canon.Array(canon.Int(3), canon.Int(4)), canon.Array()} {
		env := canon.Object(canon.M("sum", canon.Int(7)), canon.M("items", items))
		value, burned, failure := mean.Run(env, expr.CellBudget)
		if failure != nil {
			fmt.Println(failure, burned)
			continue
		}
		fmt.Println(value, burned)
	}
	// Output:
	// 3.5 12
	// {"code":"EXPR_DIV_ZERO","op":"div"} 12
}
